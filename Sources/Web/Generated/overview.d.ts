// Importing /kit/overview.js defines `<fanfare-overview>` for pages that have one without a bubble.

export { FanfareOverview } from "./components.js"
