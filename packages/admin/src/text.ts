import { isCleanName } from '@mintmark/internal'

/**
 * Whether a string can be an identifier in every store. Strings with control characters or half a surrogate pair
 * cannot, so they are not looked up.
 * @param maxLength the maximum length in characters.
 */
export const isIdentifier = (text: string, maxLength = 1024): boolean =>
  text.length > 0 && text.length <= maxLength && !/[\p{Cc}\p{Surrogate}]/u.test(text)

/** Whether an administrator may choose a string as an identifier. Identifiers appear unescaped in URLs and logs. */
export const isChosenIdentifier = (text: string, maxLength: number): boolean =>
  text.length <= maxLength && /^[A-Za-z0-9_-][A-Za-z0-9._~@|:+-]*$/.test(text)

/** Whether a string is one line that can be displayed as a name, without characters that hide or reverse a part of it. */
export const isDisplayName = (text: string): boolean =>
  text.trim() !== '' && text.length <= 200 && isCleanName(text) && !/\p{Surrogate}/u.test(text)
