// Whoever uses loops shares values between threads, so the lock comes with them.
@_exported public import Locks
