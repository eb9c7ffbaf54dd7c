// The speaker's window follows what is presented through a channel, and its keys drive the presentation.

import { recall, remember } from "./keeping.js";

const ID = "crf.speaker"; // in sessionStorage: which window follows, also after a reload
const WINDOW = "popup,width=560,height=680";

export const channel = (id) => new BroadcastChannel(`crf.speaker.${id}`);

export class Speaker {
  id;
  channel;

  // `spoken()`: the data that the window shows.
  constructor(spoken) {
    this.spoken = spoken;
    this.id = recall("sessionStorage", ID);
    if (this.id) this.listen();
  }

  listen() {
    this.channel = channel(this.id);
    this.channel.onmessage = ({ data }) => {
      if (data.key) document.dispatchEvent(new KeyboardEvent("keydown", { ...data, bubbles: true, cancelable: true }));
      else this.tell();
    };
  }

  open(address) {
    if (!this.channel) {
      this.id = crypto.getRandomValues(new Uint32Array(1))[0];
      remember("sessionStorage", ID, this.id);
      this.listen();
    }
    const page = address.replace(/draw\/([^/]*\/[^/]*)$/, "beat/$1");
    window.open(`${page}?speaker=${this.id}`, ID, WINDOW);
  }

  tell() {
    this.channel?.postMessage({ shows: this.spoken() });
  }
}
