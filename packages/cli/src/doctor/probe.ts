/** What a server answered. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body as a JSON object; undefined when it is none. */
  readonly json: Readonly<Record<string, unknown>> | undefined
}

/** Sends one request: redirects are not followed. Undefined when nobody answers within five seconds. */
export type Probe = (url: string, init?: RequestInit) => Promise<Answer | undefined>

export const createProbe =
  (request: typeof fetch): Probe =>
  async (url, init = {}) => {
    try {
      const response = await request(url, {
        redirect: 'manual',
        ...init,
        signal: AbortSignal.timeout(timeoutMilliseconds),
      })
      const text = await response.text()
      return { status: response.status, headers: response.headers, text, json: jsonObject(text) }
    } catch {
      // Refused, cut off, no such host, a certificate that nobody vouches for: to a client they are one thing.
      return undefined
    }
  }

function jsonObject(text: string): Answer['json'] {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

const timeoutMilliseconds = 5000
