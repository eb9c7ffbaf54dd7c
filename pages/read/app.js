// The article at /read: its figures ask the server.

import { animate } from "./index.js";

animate(JSON.parse(document.getElementById("article").textContent));
