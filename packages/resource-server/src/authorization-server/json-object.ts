/** A JSON object as it came: names and values are whatever its writer chose. */
export type JsonObject = Readonly<Record<string, unknown>>

/** Reads a JSON object; `undefined` for text that is not JSON, or that holds a value of another kind. */
export function parseJsonObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) ? value : undefined
  } catch {
    // JSON.parse has no other way to say that a text is not JSON.
    return undefined
  }
}

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
