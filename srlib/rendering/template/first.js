// What is beyond the first screen is laid out after the first paint, unless the address leads there.
if (!location.hash) document.documentElement.className = "first";
