// The types of the contract that this module's own interface is made of (changes, modes, policies, error codes) lie in
// these two. They are no products of the package, so whoever imports FanfareClient gets them with it.
@_exported public import Reactions
@_exported public import Wire
