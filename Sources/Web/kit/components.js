// The elements of Fanfare: reactions on any page.
//
//   import { connect } from "/kit/fanfare.js"
//   import "/kit/components.js"
//   const channel = connect({ user: "ada" }).channel("chat:42")
//   for (const bubble of document.querySelectorAll("fanfare-bubble")) bubble.channel = channel

import { FanfareBadges } from "./badges.js"
import { FanfareBubble } from "./bubble.js"
import { FanfareBurst } from "./burst.js"
import { FanfarePicker } from "./picker.js"

export { defineReactions, words } from "./element.js"
export { FanfareElement, glyph, make, moveFocus, nameOf, reconcile } from "./element.js" // for overview.js alone
export { splitOverflow } from "./badges.js"
export { defaultReactions, popInDelay } from "./picker.js"
export { FanfareBadges, FanfareBubble, FanfareBurst, FanfarePicker }

// The overview is loaded by the bubble that shows it first. The bubble last: it asks the others inside for what they are.
customElements.define("fanfare-badges", FanfareBadges)
customElements.define("fanfare-picker", FanfarePicker)
customElements.define("fanfare-burst", FanfareBurst)
customElements.define("fanfare-bubble", FanfareBubble)
