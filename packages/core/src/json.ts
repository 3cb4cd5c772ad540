import type { JsonObject, JsonValue } from '@mintmark/storage-interface'

/** Parses a JSON object; `undefined` for text that is not JSON or is another kind of value. */
export function parseJsonObject(text: string): JsonObject | undefined {
  const value = parseJson(text)
  return isJsonObject(value) ? value : undefined
}

export const isJsonObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function parseJson(text: string): JsonValue | undefined {
  try {
    // The cast states what JSON.parse returns; its own type is `any`.
    return JSON.parse(text) as JsonValue
  } catch {
    // JSON.parse reports invalid text only by an exception.
    return undefined
  }
}
