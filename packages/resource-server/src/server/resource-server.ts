import { AccessRefusedError } from '../access/access-refusal.ts'
import { readBearerToken } from '../access/bearer-token.ts'
import { renderAccessRefusal, type JsonAnswer } from '../access/render-access-refusal.ts'
import { checkScopeNames, requireScopes } from '../access/require-scopes.ts'
import type { VerifiedAccessToken } from '../access-token/verified-access-token.ts'
import { checkOptions } from './check-options.ts'
import { resourceMetadata, type ResourceMetadata } from './resource-metadata.ts'
import type { ResourceServerOptions } from './resource-server-options.ts'
import { tokenJudge } from './token-judge.ts'

/** An API that receives access tokens (RFC 9068 §4, RFC 6750). */
export interface ResourceServer {
  /** What this API tells clients about itself; `undefined` when its identifier is no address. */
  readonly metadata: ResourceMetadata | undefined
  /**
   * Names the scope values that an operation needs, all of them.
   * @throws TypeError when one of them is no scope value.
   */
  require(...scopes: readonly string[]): AccessRule
  /** Ends what runs in the background: a feed that is followed. */
  stop(): void
}

/** Lets requests in by their access token. */
export interface AccessRule {
  /**
   * Verifies the token of a request, and that it covers the operation.
   * @param authorization the values of all Authorization headers that came.
   * @throws AccessRefusal — see `AccessRefusalReason`.
   */
  admit(authorization: readonly string[]): Promise<VerifiedAccessToken>
  /** The answer to a request that was refused; `undefined` for what is no `AccessRefusal` but a failure. */
  renderRefusal(error: unknown): JsonAnswer | undefined
}

/**
 * Creates what an API needs to accept access tokens. Nothing is global, and nothing is fetched before the first token comes,
 * unless the feed is followed.
 * @throws TypeError that names a bad option and says what to change.
 */
export function createResourceServer(options: ResourceServerOptions): ResourceServer {
  checkOptions(options)
  const metadata = resourceMetadata(options)
  const judge = tokenJudge(options)

  return {
    metadata,
    require(...scopes) {
      checkScopeNames(scopes)
      return {
        async admit(authorization) {
          const token = await judge.verify(readBearerToken(authorization))
          requireScopes(token, scopes)
          return token
        },
        renderRefusal(error) {
          if (!(error instanceof AccessRefusedError)) return undefined
          tell(options.onRefusal, error)
          return renderAccessRefusal(error, { scopes, metadataUrl: metadata?.url })
        },
      }
    },
    stop: () => judge.stop(),
  }
}

function tell(listener: ResourceServerOptions['onRefusal'], refusal: AccessRefusedError): void {
  try {
    listener?.(refusal)
  } catch {
    // The listener is the host's; a log that is down must not change the answer.
  }
}
