// The verdict is painted first: what follows is laid out once it stands there, and what lies beyond the first screen later
// still; all of it at once where the address leads into the page, or where nothing can say when a page was painted.
if (!location.hash && window.PerformanceObserver) {
  const root = document.documentElement, show = () => root.classList.remove("verdict");
  root.className = "first verdict";
  new PerformanceObserver(show).observe({ type: "paint", buffered: true });
  addEventListener("DOMContentLoaded", show);
}
