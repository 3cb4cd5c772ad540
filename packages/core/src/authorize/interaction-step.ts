import type { ServerRequest } from '@mintmark/internal'
import type { EpochSeconds, InteractionRecord } from '@mintmark/storage-interface'

import type { JoinSessionDependencies } from '../sessions/join-session.ts'
import type { SignedIn, SignedInUser } from '../sessions/signed-in-user.ts'
import type { IssueCodeDependencies } from './code.ts'
import type { PingOutbox } from './decoupled-request.ts'
import type { RenderDevicePage } from './device-page.ts'
import type { AuthorizationRequestRules, UserRequest } from './request.ts'
import type { ResponseDependencies } from './response.ts'
import type { InteractionDependencies } from './start-interaction.ts'

export interface CompleteInteractionDependencies
  extends InteractionDependencies, IssueCodeDependencies, JoinSessionDependencies, ResponseDependencies {
  readonly rules: AuthorizationRequestRules
  readonly pings: PingOutbox | undefined
  /** `undefined` without the option: no client can be on another device. */
  readonly device: { readonly renderPage: RenderDevicePage } | undefined
}

/** The state that each step of an interaction needs. */
export interface InteractionStep {
  readonly http: ServerRequest
  readonly handle: string
  readonly record: InteractionRecord
  /** The `authTime` of the session that the browser had when the interaction started. */
  readonly sessionAuthTime: EpochSeconds | undefined
  /** Whether storage has the record, because a user has signed in; otherwise only the browser has it. */
  readonly isStored: boolean
  /** Whether the interaction was completed before: the browser repeats its decision. */
  readonly isRepeated: boolean
  /** The host's session in the present request. */
  readonly session: SignedIn | undefined
  /** The user who signed in during the interaction, or whose session this is. */
  readonly user: SignedInUser | undefined
  readonly request: UserRequest
  readonly now: EpochSeconds
}
