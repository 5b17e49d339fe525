// Figures are read, and what lies below the screen is laid out, after the first paint. The page counts as loaded when all
// of it stands there, so that a program that prints it at once, or takes its picture, has it whole: a document that is
// being written holds back the page's own end.
const root = document.documentElement, later = [...document.images].filter(image => image.loading === "lazy");
const held = document.body.appendChild(document.createElement("iframe"));
held.hidden = true;
held.contentDocument.open();
const read = image => new Promise(done => {
  image.onload = image.onerror = done;
  image.loading = "eager";
  if (image.complete) done();
});
let begun = false;
const finish = async () => {
  if (begun) return;
  begun = true;
  root.classList.remove("first");
  await Promise.race([Promise.all(later.map(read)), new Promise(done => setTimeout(done, 3000))]);
  held.contentDocument.close();
  held.remove();
};
if (window.PerformanceObserver) new PerformanceObserver(() => setTimeout(finish)).observe({ type: "paint", buffered: true });
setTimeout(finish, 500); // where nothing is painted, in a tab behind others
