import type { Tokens } from '../processes/client-requests.ts'

/** The refresh tokens of one sign-in of one user, as the client knows them. */
export interface Family {
  readonly user: string
  tokens: Tokens
  /** Whether a request of a worker is using it now. */
  isBusy: boolean
}

/** Tokens that a server has confirmed to be ended. */
export interface EndedFamily {
  readonly tokens: Tokens
  readonly why: 'deactivated' | 'presented twice'
  /** What the client knows about it: how many attempts got no answer, or both answers. */
  readonly evidence: string
}

/** Everything that a server has confirmed to a client, and every contradiction. */
export interface Ledger {
  /** The `id`s of users that were created (SCIM 201). */
  readonly users: Set<string>
  readonly families: Set<Family>
  /**
   * The tokens of users that were deactivated (SCIM 200), and of codes whose second presentation was refused (400). One that got 503, or
   * no answer, may have ended nothing yet.
   */
  readonly ended: EndedFamily[]
  /** Confirmed writes that are missing. */
  readonly lost: string[]
  /** What was issued twice although it may be issued once. */
  readonly doubled: string[]
  /** Tokens that work although a server has confirmed their end. */
  readonly survivors: string[]
  /**
   * Sign-ins that ended because the response to a refresh was lost, and the repetition came too late, or because a node reported
   * the redemption of a code as a conflict.
   */
  signedOut: number
}

export const createLedger = (): Ledger => ({
  users: new Set(),
  families: new Set(),
  ended: [],
  lost: [],
  doubled: [],
  survivors: [],
  signedOut: 0,
})
