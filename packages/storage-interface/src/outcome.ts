/** A first insertion: `taken` means that the key was there before, and nothing was written. */
export type InsertOutcome = { readonly outcome: 'inserted' } | { readonly outcome: 'taken' }

/**
 * Single use. `won` is answered to exactly one caller, ever; every later caller is told `replayed` with the record as the
 * winner received it. `absent` covers unknown, expired and not the caller's: they are not told apart.
 */
export type ConsumeOutcome<Record> =
  | { readonly outcome: 'won'; readonly record: Record }
  | { readonly outcome: 'replayed'; readonly record: Record }
  | { readonly outcome: 'absent' }

/** A write that holds only if the row still carries the version that the caller read. `swapped` returns the row as it is now. */
export type SwapOutcome<Record> =
  | { readonly outcome: 'swapped'; readonly record: Record }
  | { readonly outcome: 'conflict' }
  | { readonly outcome: 'absent' }

/** The first caller to claim a value finds it `fresh`; everybody after that has `seen` it. */
export type ReplayOutcome = { readonly outcome: 'fresh' } | { readonly outcome: 'seen' }

/** An end that is reached once: `ended` for whoever ended it, `unchanged` when it had ended before, `absent` when it never was. */
export type RevokeOutcome =
  { readonly outcome: 'ended' } | { readonly outcome: 'unchanged' } | { readonly outcome: 'absent' }
