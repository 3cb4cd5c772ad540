import type { JsonObject, JsonValue } from '@mintmark/storage-interface'

/** Reads a JSON object; `undefined` for text that is not JSON, or that holds a value of another kind. */
export function parseJsonObject(text: string): JsonObject | undefined {
  const value = parseJson(text)
  return isJsonObject(value) ? value : undefined
}

export const isJsonObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function parseJson(text: string): JsonValue | undefined {
  try {
    // The cast says what JSON.parse yields, which its own type does not.
    return JSON.parse(text) as JsonValue
  } catch {
    // JSON.parse has no other way to say that a text is not JSON.
    return undefined
  }
}
