/**
 * Whether a text could name something: nothing is looked up that no store could hold, such as U+0000 or half a
 * surrogate pair.
 * @param longest in characters.
 */
export const isIdentifier = (text: string, longest = 1024): boolean =>
  text.length > 0 && text.length <= longest && !/[\p{Cc}\p{Surrogate}]/u.test(text)

/** Whether a text may be an identifier of ours: it stands in addresses and logs as it is. */
export const isChosenIdentifier = (text: string, longest: number): boolean =>
  text.length <= longest && /^[A-Za-z0-9_-][A-Za-z0-9._~@|:+-]*$/.test(text)

/** Whether a text is one line that can be shown as a name. */
export const isDisplayName = (text: string): boolean =>
  text.trim() !== '' && text.length <= 200 && !/[\p{Cc}\p{Surrogate}\u2028\u2029]/u.test(text)
