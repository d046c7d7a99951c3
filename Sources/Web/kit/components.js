// The elements of Fanfare: reactions on any page.
//
//   import { connect } from "/kit/fanfare.js"
//   import "/kit/components.js"
//   const channel = connect({ user: "ada" }).channel("chat:42")
//   for (const bubble of document.querySelectorAll("fanfare-bubble")) bubble.channel = channel

import { FanfareBadges } from "./badges.js"
import { FanfareBubble } from "./bubble.js"
import { FanfareBurst } from "./burst.js"
import { define } from "./element.js"
import { FanfarePicker } from "./picker.js"

export { defineReactions, words } from "./element.js"
export { define, FanfareElement, glyph, make, moveFocus, nameOf, reconcile } from "./element.js" // for overview.js alone
export { splitOverflow } from "./badges.js"
export { defaultReactions, popInDelay } from "./picker.js"
export { FanfareBadges, FanfareBubble, FanfareBurst, FanfarePicker }

// The overview is loaded by the bubble that shows it first. The bubble last: it asks the others inside for what they are.
define("fanfare-badges", FanfareBadges)
define("fanfare-picker", FanfarePicker)
define("fanfare-burst", FanfareBurst)
define("fanfare-bubble", FanfareBubble)
