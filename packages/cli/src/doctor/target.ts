import type { AdminStorage } from '@mintmark/storage-interface'

import type { Settings } from '../config/settings.ts'
import type { Io } from '../io.ts'

/** The server that is examined, and its storage if the operator has access to it. */
export interface DoctorTarget {
  readonly issuer: string
  readonly probe: Probe
  readonly io: Io
  readonly settings: Settings
  /** Undefined if no database is given, or if it cannot be used. */
  readonly storage: AdminStorage | undefined
  /** The metadata that the server publishes; empty if it publishes none. */
  readonly metadata: Readonly<Record<string, unknown>>
  readonly options: DoctorOptions
}

/** Other flags of the command. */
export interface DoctorOptions {
  readonly client?: string
  readonly redirectUri?: string
  /** The security profile whose requirements are checked. */
  readonly profile?: 'mcp' | 'fapi2' | 'fapi2_message_signing' | 'ipsie'
  /** A file that contains a Secret Token of an identity provider. */
  readonly scimSecretFile?: string
}

/** Returns the URL of an endpoint in the metadata, or its default URL. */
export function endpointOf(
  { issuer, metadata }: Pick<DoctorTarget, 'issuer' | 'metadata'>,
  name: string,
  path: string,
): string {
  const published = metadata[name]
  return typeof published === 'string' && URL.canParse(published) ? published : issuer + path
}

/** The response of a server. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body if it is a JSON object. */
  readonly json: Readonly<Record<string, unknown>> | undefined
}

/** Sends one request without following redirects. Returns undefined if there is no response within five seconds. */
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
      // Connection refused or reset, unknown host, invalid certificate: a client cannot reach the server.
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

/** The result of a check: its level, what was found, and how to fix it, each in one sentence. */
export interface Finding {
  readonly level: 'ok' | 'warn' | 'fail'
  /** The name of the check, such as `discovery.issuer`. Programs may depend on it. */
  readonly check: string
  readonly what: string
  /** Undefined when nothing needs to be fixed. */
  readonly fix: string | undefined
}

export const ok = (check: string, what: string): Finding => ({ level: 'ok', check, what, fix: undefined })

/** Creates a finding about something that works but could be better or safer. */
export const warn = (check: string, what: string, fix: string): Finding => ({ level: 'warn', check, what, fix })

/** Creates a finding about something that does not work or is not safe. */
export const fail = (check: string, what: string, fix: string): Finding => ({ level: 'fail', check, what, fix })
