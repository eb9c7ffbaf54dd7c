// Scrolls to the part of the page that the address names after "#", once the page is there, and marks it.

export default {
  render({ signal }) {
    const go = () => {
      const part = document.getElementById(decodeURIComponent(location.hash.slice(1)));
      if (!part) return;
      for (const other of document.querySelectorAll(".crf-here")) other.classList.remove("crf-here");
      part.classList.add("crf-here");
      part.scrollIntoView({ block: "center" });
    };
    requestAnimationFrame(() => setTimeout(go, 60)); // when the page's own elements have been drawn
    window.addEventListener("hashchange", go, { signal });
  },
};
