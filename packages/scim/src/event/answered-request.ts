import type { RequestHead, ServerResponse } from '@mintmark/core/http'
import type { EpochSeconds } from '@mintmark/storage-interface'

import type { ScimRefusalReason } from '../error/refusals.ts'
import type { ScimError } from '../error/scim-error.ts'
import type { ScimCaller } from '../providers/authenticate-provider.ts'

/**
 * A request that an identity provider made, and what became of it: for the people who connect it. Neither its query nor its body is
 * in it, as both are about people, and no secret.
 */
export interface AnsweredRequest {
  readonly at: EpochSeconds
  readonly providerId: string
  /** The client, when it came with an access token of ours; undefined with a secret of its own. */
  readonly clientId: string | undefined
  readonly method: string
  readonly path: string
  readonly status: number
  readonly reason: ScimRefusalReason | undefined
  /** The attribute that a refusal was about, as our schema spells it. */
  readonly attribute: string | undefined
}

/** Who asked for what, and when. */
interface Asked {
  readonly request: RequestHead
  readonly caller: ScimCaller
  readonly now: EpochSeconds
}

export function answeredRequest(
  { request, caller, now }: Asked,
  { status }: Pick<ServerResponse, 'status'>,
  error?: ScimError,
): AnsweredRequest {
  const { provider, by } = caller
  return {
    at: now,
    providerId: provider.providerId,
    clientId: by.kind === 'client' ? by.clientId : undefined,
    method: request.method,
    path: request.url.pathname.slice(0, 512),
    status,
    reason: error?.reason,
    attribute: error?.attribute,
  }
}
