// A student's browser follows the lecturer: the server says which stop is shown, and this tab goes there.
// Whoever opens another page is let go, and comes back by one press. The server is asked nothing meanwhile.

import { element, fill } from "../../../../../crf/figures/shared/dom.js";
import { report, whenData } from "../../../../../crf/figures/shared/model.js";
import { remember, remembered } from "../memory.js";
import { giveWay, showAhead, takeAway } from "./ahead.js";

const KEPT = "crf-class"; // of this tab: { code, following, stop, page }
const AGAIN = 3000; // ms until a line that was refused is tried again
const LONGEST_AHEAD = 1000; // ms that the way to a stop waits for its picture
const LATE = 10000; // ms after which a stop that has not come is asked for by loading it
const LOOK = 250; // ms between two looks for the part that the lecturer shows
const LOOKS = 80;
const UNDER_MENU = 64; // px
const SETTLED = 12; // looks for which it has to stay where it is: figures above it still come
const AHEAD = ["flow", "trellis"]; // figures whose modules are fetched before a stop needs them,
const WITHIN = 15000; // ms, each phone of a class at its own time
const pause = (ms) => new Promise((go) => setTimeout(go, ms));

export default {
  render({ model, el, signal }) {
    setTimeout(() => AHEAD.forEach((name) => import(`../../../../../crf/figures/${name}/index.js`)), Math.random() * WITHIN);
    const bar = made(fill(el, `<div class="follow" role="region"></div>`), signal);
    bar.tell = (serial) => report(model, "news", serial);
    whenData(model, signal, (data) => {
      const isOther = data.stop !== bar.data?.stop || data.here !== bar.data.here;
      bar.data = data;
      if (isOther) bar.arrive();
      bar.root.ariaLabel = data.words.region;
      bar.settle();
      if (!bar.line) bar.listen();
    });
  },
};

// Whether this is the page that one came to by joining; asked once.
function justJoined(root) {
  const joined = document.cookie.split("; ").includes("crf_joined=1");
  if (joined) document.cookie = `crf_joined=; Max-Age=0; Path=${root}`;
  return joined;
}

function made(root, signal) {
  const bar = { root, line: null, news: null, told: null, timer: 0, looking: 0, leaves: 0, ahead: 0 };
  const keep = (kept) => remember(KEPT, kept);
  const kept = () => {
    const found = remembered(KEPT);
    return found?.code === bar.data.code ? found : null;
  };

  bar.listen = () => {
    clearTimeout(bar.timer);
    bar.line?.close();
    bar.line = new EventSource(bar.data.root + bar.data.news);
    bar.line.onmessage = (event) => {
      bar.news = JSON.parse(event.data);
      if (bar.news.phase === "open") takeAway(); // a question is on the page itself
      bar.settle();
      if (bar.leaves) bar.lookAhead();
    };
    bar.line.addEventListener("moved", () => bar.line?.close()); // another window of this browser hears the news
    bar.line.addEventListener("emptied", () => location.assign(`${bar.data.root}join?emptied&code=${bar.data.code}`));
    bar.line.onerror = () => {
      if (bar.line?.readyState === EventSource.CLOSED) bar.timer = setTimeout(bar.listen, AGAIN);
    };
  };

  // What is to be done about the news, given where this tab is.
  bar.settle = () => {
    const { news, data } = bar;
    if (!news || bar.leaves) return; // what comes now is for the next page
    let mine = kept();
    if (!mine || news.stop < mine.stop || !news.stop) {
      const there = news.page === data.here && news.stop === data.stop; // the way in led to the stop
      const late = news.stop !== data.stop; // it has changed since this page was drawn
      const following = !news.stop || there || late || justJoined(data.root);
      keep((mine = { code: data.code, following, stop: there ? news.stop : 0, page: data.here }));
    }
    if (mine.following && mine.page !== data.here) keep((mine = { ...mine, following: false }));
    if (mine.following && news.stop > mine.stop) return go();
    if (mine.following && mine.stop === news.stop && mine.brought !== news.stop) {
      keep((mine = { ...mine, brought: news.stop }));
      if (news.phase !== "open") bring(news.parts);
    }
    if (news.ballot !== data.ballot || news.phase !== data.phase) {
      if (mine.following && news.phase === "open") bring(["st-key-class-follow"]);
      if (bar.told !== news.serial) bar.tell((bar.told = news.serial));
    }
    draw(mine);
  };

  bar.arrive = () => {
    clearTimeout(bar.leaves);
    bar.leaves = 0;
    if (kept()?.page === bar.data.here) giveWay();
    else takeAway(); // another page was opened meanwhile
  };

  // The stop's picture comes first, on the way to another page.
  bar.lookAhead = async () => {
    const { news, data } = bar;
    const isMine = kept()?.stop === news.stop && news.page !== data.here && news.phase !== "open";
    if (!news.picture || !isMine || bar.ahead === news.stop) return;
    bar.ahead = news.stop;
    const url = `${data.root}${data.picture}?stop=${news.stop}`;
    await showAhead(url, words(kept(), news), root).catch(() => {}); // the page comes anyway
  };

  // Goes to the stop: another page is drawn in this document, as by the browser's way back, which spares a phone to load
  // all anew; what the same page shows of other values would be mixed with what stands there.
  async function go() {
    const { news, data } = bar;
    keep({ code: data.code, following: true, stop: news.stop, page: news.page });
    const url = new URL(data.root + news.href, location.origin);
    if (url.origin !== location.origin) return;
    const isSame = news.page === data.here;
    bar.leaves = setTimeout(isSame ? bar.arrive : () => location.assign(url), isSame ? AGAIN : LATE);
    if (isSame) return location.assign(url);
    await Promise.race([bar.lookAhead(), pause(LONGEST_AHEAD)]);
    if (news.picture) await pause(1000 * news.spread * (0.5 + Math.random())); // so that all have it first
    if (signal.aborted) return;
    if (!kept()?.following) {
      takeAway(); // "Stay here" was pressed meanwhile
      bar.arrive();
      return bar.settle();
    }
    history.pushState(null, "", url);
    window.dispatchEvent(new PopStateEvent("popstate"));
  }

  // Scrolls to the first of these parts that there is, once it has come; whoever scrolls meanwhile is left alone.
  function bring(parts) {
    let looks = 0;
    let still = 0;
    clearInterval(bar.looking);
    const stop = () => clearInterval(bar.looking);
    for (const type of ["wheel", "touchstart", "pointerdown", "keydown"]) window.addEventListener(type, stop, { once: true });
    const look = () => {
      const found = parts.flatMap((name) => Array.from(document.getElementsByClassName(name))).find((one) => one.offsetHeight);
      if (found && Math.abs(found.getBoundingClientRect().top - UNDER_MENU) > 8) {
        found.style.scrollMarginTop = `${UNDER_MENU}px`;
        found.scrollIntoView({ block: "start" });
        still = 0;
      } else if (found) still += 1;
      if ((looks += 1) > LOOKS || still > SETTLED) stop();
    };
    if (parts.length) bar.looking = setInterval(look, LOOK);
  }

  function draw(mine) {
    const { news } = bar;
    const say = element("span", { textContent: words(mine, news) });
    const stay = () => { keep({ ...mine, following: false }); bar.settle(); };
    const { words: said } = bar.data;
    const how = mine.following ? { textContent: said.stay, onclick: stay } : { textContent: said.follow, className: "go", onclick: go };
    const button = element("button", { type: "button", ...how });
    const shown = news.stop ? [say, button] : [say];
    if (root.textContent !== shown.map((part) => part.textContent).join("")) root.replaceChildren(...shown);
  }

  function words(mine, news) {
    const said = bar.data.words;
    if (!news.stop) return said.wait;
    return (mine.following ? said.following : said.shows).replace("{title}", () => news.title);
  }

  // A phone that wakes up has missed what was said meanwhile, and may not know that its line is dead.
  const wake = () => document.visibilityState === "visible" && bar.listen();
  const focus = () => bar.line?.readyState === EventSource.CLOSED && bar.listen();
  window.addEventListener("focus", focus, { signal });
  document.addEventListener("visibilitychange", wake, { signal });
  window.addEventListener("pageshow", (event) => event.persisted && wake(), { signal });
  window.addEventListener("online", wake, { signal });
  signal.addEventListener("abort", () => {
    clearTimeout(bar.timer);
    clearTimeout(bar.leaves);
    clearInterval(bar.looking);
    bar.line?.close();
    bar.line = null;
  });
  return bar;
}
