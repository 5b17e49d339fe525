// A table of reports as a widget: sorting, words of the search and the focus stay when the table is filled again.
const identify = element => `${element.tagName} ${element.value} ${element.ariaLabel}`;
export default {
  render({ model, el }) {
    const show = () => {
      const active = el.contains(document.activeElement) ? document.activeElement : null;
      const head = el.querySelector("th[aria-sort]"), words = el.querySelector("input")?.value;
      el.innerHTML = `<div class="srlib-table"><div class="scroll" tabindex="0">${model.get("html")}</div></div>`;
      enhance(el);
      const sort = head && [...el.querySelectorAll("thead th")].find(other => other.textContent === head.textContent);
      for (let turn = 0; sort && turn < (head.ariaSort === "descending" ? 2 : 1); turn++) sort.querySelector(".sort")?.click();
      const field = el.querySelector("input");
      if (field && words) { field.value = words; field.dispatchEvent(new Event("input")); }
      if (active) [...el.querySelectorAll("button, input")].find(other => identify(other) === identify(active))?.focus();
    };
    el.addEventListener("click", event => {
      const button = event.target.closest("button.row");
      if (button) { model.set("chosen", button.value); model.save_changes(); }
    });
    model.on("change:html", show);
    show();
  },
};
