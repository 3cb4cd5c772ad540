import {
  aListOfStrings,
  aString,
  checkOptions,
  digestSecret,
  type OptionCheck,
  type OptionChecks,
  randomIdentifier,
  randomSecret,
  required,
} from '@mintmark/internal'
import { seconds, after } from '@mintmark/storage-interface'
import { type InitialAccessTokenRecord, initialAccessTokenId } from '@mintmark/storage-interface/stores'

import { type AdminContext, audit } from '../audit/audit.ts'
import { refuse } from '../error/refusals.ts'
import { type Page, pageOf, type PageRequest } from '../page.ts'
import { isDisplayName } from '../text.ts'

/** An initial access token to create. */
interface NewInitialAccessToken {
  /** Tells administrators whom the token is for. */
  readonly displayName: string
  /** How many clients the token may register, at most 1000. */
  readonly clients: number
  /** For how many seconds the token is valid, at most a year. */
  readonly lifetime: number
  /** The scope values that clients registered with the token may have. */
  readonly scopes: readonly string[]
  /** The grant types that these clients may have. Default: `authorization_code` and `refresh_token`. */
  readonly grantTypes?: readonly string[] | undefined
  /** The hosts that their redirect URIs may have, or the URI schemes of native apps. Default: any host. */
  readonly redirectHosts?: readonly string[] | undefined
}

/** An initial access token without its secret. */
export type InitialAccessTokenView = Omit<InitialAccessTokenRecord, 'digest'>

/** Permissions to register clients (RFC 7591 §1.2). A method throws AdminError if the action is refused or fails. */
export interface InitialAccessTokenAdministration {
  /**
   * Creates a token. Only its hash is stored, so it cannot be shown again. Refused: `display_name_invalid`,
   * `initial_access_token_invalid`, `beyond_own_scopes`.
   */
  create(
    token: NewInitialAccessToken,
  ): Promise<{ readonly initialAccessToken: string; readonly view: InitialAccessTokenView }>
  /** Ordered by identifier. Includes expired tokens that have not been purged. Refused: `page_invalid`. */
  list(page?: PageRequest): Promise<Page<InitialAccessTokenView>>
  /** Revokes a token. Clients that were registered with it are kept. Refused: `initial_access_token_unknown`. */
  revoke(tokenId: string): Promise<void>
}

export const administerInitialAccessTokens = (context: AdminContext): InitialAccessTokenAdministration => ({
  create: (token) => create(token, context),
  list: (page = {}) =>
    pageOf(page, {
      read: ({ after: last, limit }) =>
        context.storage.initialAccessTokens.list({
          after: last === undefined ? undefined : initialAccessTokenId(last),
          limit,
        }),
      key: ({ tokenId }) => tokenId,
      view: toView,
    }),
  revoke: (tokenId) => revoke(tokenId, context),
})

const toView = ({ digest: _digest, ...view }: InitialAccessTokenRecord): InitialAccessTokenView => view

const aNumber: OptionCheck = (value) => (typeof value === 'number' ? undefined : 'must be a number')

const newTokenChecks: OptionChecks<NewInitialAccessToken> = {
  displayName: required(aString),
  clients: required(aNumber),
  lifetime: required(aNumber),
  scopes: required(aListOfStrings),
  grantTypes: aListOfStrings,
  redirectHosts: aListOfStrings,
}

async function create(
  token: NewInitialAccessToken,
  context: AdminContext,
): Promise<{ readonly initialAccessToken: string; readonly view: InitialAccessTokenView }> {
  // A misspelled `redirectHosts` would allow every host.
  checkOptions('initialAccessTokens.create', token, newTokenChecks)
  const { storage, clock, random, mayGrant } = context
  const id = randomIdentifier(random)
  return audit(
    {
      name: 'initial_access_token.created',
      target: { kind: 'initial_access_token', id },
      run: async () => {
        const { grantTypes = ['authorization_code', 'refresh_token'], redirectHosts = [] } = token
        if (!isDisplayName(token.displayName)) throw refuse('display_name_invalid', { pointer: '/display_name' })
        const isClientCountValid = Number.isSafeInteger(token.clients) && token.clients >= 1 && token.clients <= 1000
        const isLifetimeValid =
          Number.isSafeInteger(token.lifetime) && token.lifetime >= 1 && token.lifetime <= secondsPerYear
        const areNamesValid = [...token.scopes, ...grantTypes, ...redirectHosts].every((text) =>
          /^[\x21-\x7e]{1,200}$/.test(text),
        )
        if (
          !isClientCountValid ||
          !isLifetimeValid ||
          !areNamesValid ||
          token.scopes.length === 0 ||
          grantTypes.length === 0
        )
          throw refuse('initial_access_token_invalid')
        // RFC 9700 §2.3: a client that registers itself gets no scope value that the administrator could not give it.
        if (!token.scopes.every(mayGrant)) throw refuse('beyond_own_scopes')
        const secret = randomSecret(random)
        const now = clock()
        const record: InitialAccessTokenRecord = {
          tokenId: initialAccessTokenId(id),
          digest: await digestSecret(secret),
          displayName: token.displayName,
          grantTypes,
          scopes: token.scopes,
          redirectHosts,
          remaining: token.clients,
          createdAt: now,
          expiresAt: after(now, seconds(token.lifetime)),
          revokedAt: undefined,
        }
        await storage.initialAccessTokens.insert(record)
        const { displayName, scopes, remaining, expiresAt } = record
        return {
          result: { initialAccessToken: `${id}.${secret}`, view: toView(record) },
          after: { displayName, grantTypes, scopes, redirectHosts, remaining, expiresAt },
        }
      },
    },
    context,
  )
}

const secondsPerYear = 31_536_000

const revoke = (tokenId: string, context: AdminContext): Promise<void> =>
  audit(
    {
      name: 'initial_access_token.revoked',
      target: { kind: 'initial_access_token', id: tokenId },
      protective: true,
      run: async () => {
        const { outcome } = await context.storage.initialAccessTokens.revoke(
          initialAccessTokenId(tokenId),
          context.clock(),
        )
        if (outcome === 'absent') throw refuse('initial_access_token_unknown')
        return { result: undefined }
      },
    },
    context,
  )
