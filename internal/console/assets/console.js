// Everything here is a convenience: each page is whole without it.
"use strict";
(() => {
  if (!document.body.hasAttribute("data-in")) return;

  // The browser's own time zone is the first one to offer.
  const zones = document.getElementById("zones");
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (zones && own) zones.prepend(Object.assign(document.createElement("option"), { value: own }));

  // Keys: / to search, g and a letter to go somewhere.
  const places = { o: "/", r: "/runs", f: "/freshness", q: "/questions", d: "/data" };
  let going = false;
  document.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || /^(INPUT|TEXTAREA|SELECT)$/.test(e.target.tagName)) return;
    if (e.key === "/") {
      e.preventDefault();
      document.querySelector(".search input").focus();
    } else if (going && places[e.key]) {
      location.assign(places[e.key]);
    }
    going = e.key === "g";
  });

  // A filter applies while a person types.
  const filter = document.querySelector("form[data-filter]");
  if (filter) {
    let wanted = "";
    filter.addEventListener("input", async () => {
      const query = wanted = "?" + new URLSearchParams(new FormData(filter));
      const answer = await fetch(query + "&part=live", { credentials: "same-origin" });
      if (!answer.ok || answer.redirected) return;
      const text = await answer.text();
      if (query !== wanted) return;
      document.getElementById(filter.dataset.filter).innerHTML = text;
      history.replaceState(null, "", query);
    });
  }

  // A live page asks for its changing part again whenever the run under way tells of itself, and when it ends.
  const live = document.querySelector("[data-live]");
  if (!live || !window.EventSource) return;
  let asking = false, again = false;
  // What is as it was stays: a click on it counts, and what is unfolded stays unfolded.
  const show = (text) => {
    const next = document.createElement("template");
    next.innerHTML = text;
    const folds = live.querySelectorAll("details");
    next.content.querySelectorAll("details").forEach((fold, i) => { fold.open = folds[i]?.open ?? fold.open; });
    if (next.innerHTML !== live.innerHTML) live.replaceChildren(next.content);
    complete();
  };
  // A part that is not complete yet is asked for again soon.
  const complete = () => { if (live.querySelector("[data-again]")) setTimeout(() => refresh(), 2000); };
  const refresh = async () => {
    if (asking) { again = true; return; }
    asking = true;
    try {
      const url = new URL(location.href);
      url.searchParams.set("part", "live");
      const answer = await fetch(url, { credentials: "same-origin" });
      if (answer.redirected) { location.reload(); return; }
      if (answer.ok && !live.contains(document.activeElement)) show(await answer.text());
    } catch { /* the next event asks again */ }
    asking = false;
    if (again) { again = false; refresh(); }
  };
  complete();
  const events = new EventSource("/api/v1/events");
  // The first word comes once the page is there: a run may have ended since it was made.
  events.addEventListener("running", refresh);
  events.addEventListener("idle", refresh);
  setInterval(() => { if (!document.hidden) refresh(); }, 60000);
})();
