import type { Brand, JsonObject } from '@mintmark/storage-interface'

import type { AuthenticatedClient } from '../clients/authenticate.ts'
import type { ActiveUser } from './status.ts'
import { refuse } from '../refusals.ts'

/** Which clients may exchange tokens, and for what. */
export interface ExchangeRule {
  /** The identifiers of the clients. */
  readonly clients: readonly string[]
  /**
   * `delegation`: the new token names the client as the party that acts for the user, in the claim `act`.
   * `impersonation`: it does not, so that APIs cannot tell the client from the user.
   */
  readonly mode: 'delegation' | 'impersonation'
  /**
   * The tokens that the clients may present: access tokens; or ID tokens that were issued to them, for the scope values that
   * the user has granted to them.
   * @defaultValue Access tokens. ID tokens are in more places, such as logs and browsers.
   */
  readonly subjects?: readonly ('access_token' | 'id_token')[]
  /** The APIs that the new tokens may be for: keys of `resources`. */
  readonly audiences: readonly string[]
  /**
   * The scope values that the new tokens may have.
   * @defaultValue Those of the presented token. New tokens never have others.
   */
  readonly scopes?: readonly string[]
  /**
   * How many exchanges a token may have behind it: 1 to 4.
   * @defaultValue 1. A token that was exchanged cannot be exchanged again.
   */
  readonly maxDepth?: 1 | 2 | 3 | 4
  /**
   * Whether the clients may exchange tokens that are bound to the key of somebody else, if they prove a key of their
   * own, to which the new token is bound.
   * @defaultValue `false`. Somebody who stole a bound token cannot use it.
   */
  readonly acceptsBound?: boolean
}

export type SubjectKind = NonNullable<ExchangeRule['subjects']>[number]

/** Whether the rule is for presented tokens of this kind. */
export const isForSubject = (rule: ExchangeRule, kind: SubjectKind): boolean => subjectsOf(rule).includes(kind)

const subjectsOf = ({ subjects = ['access_token'] }: ExchangeRule): readonly SubjectKind[] => subjects

/**
 * The first rule for a client, its token and the APIs applies.
 * @throws TypeError when a rule never applies to one of its clients, because an earlier one always does.
 */
export function refuseUnusedRules(rules: readonly ExchangeRule[]): void {
  for (const [index, rule] of rules.entries()) {
    for (const client of rule.clients) {
      const applied = rules.findIndex(
        (earlier) =>
          earlier.clients.includes(client) &&
          subjectsOf(rule).every((kind) => isForSubject(earlier, kind)) &&
          rule.audiences.every((uri) => earlier.audiences.includes(uri)),
      )
      if (applied < index)
        throw new TypeError(
          `Invalid options: tokenExchange.rules[${index}] never applies to the client ${client}, because tokenExchange.rules[${applied}] is for the same tokens and APIs. Merge the rules, or remove the client from one of them.`,
        )
    }
  }
}

/** An exchange that the rules permit. */
interface ExchangeRequest {
  readonly mode: ExchangeRule['mode']
  /** The client that will act for the user. */
  readonly clientId: string
  readonly userId: string
  /** The client that the presented token was issued to, and the parties that act with it already. */
  readonly presented: { readonly clientId: string; readonly act: JsonObject | undefined }
  readonly scopes: readonly string[]
  readonly audience: readonly string[]
}

/** What the new token may be for; both lists may only be shorter than in the request. */
interface ExchangeAnswer {
  readonly scopes: readonly string[]
  readonly audience: readonly string[]
}

export interface TokenExchangeSettings {
  /**
   * The rules. An exchange that no rule permits is refused. The first rule for the client, its token and the APIs of a request
   * applies, and not a later one as well.
   */
  readonly rules: readonly ExchangeRule[]
  /**
   * Which client may act for the users of another client: its access tokens name the party in the claim `may_act`. That party
   * may exchange them even if it serves none of their APIs, and nobody else may. The keys and the values are identifiers of
   * clients. Each exchange needs a rule too.
   * @defaultValue None. A client exchanges the tokens that it got, and the tokens for the APIs that it serves.
   */
  readonly mayAct?: Readonly<Record<string, string>>
  /**
   * Decides about an exchange that the rules permit, for example by what the user has agreed to. It can narrow the
   * exchange, and refuse it.
   * @defaultValue The rules decide.
   */
  readonly decide?: (request: ExchangeRequest) => ExchangeAnswer | 'refuse' | Promise<ExchangeAnswer | 'refuse'>
}

/** What the rules and the host allow. Only `whatHostAllows` creates it. */
type AllowedExchange = Brand<
  { readonly scopes: readonly string[]; readonly resources: readonly string[] },
  'AllowedExchange'
>

/**
 * Asks the host about an exchange.
 * @throws OAuthError access_denied — reason `exchange_refused`.
 * @throws TypeError when the host allows more than was requested.
 */
export async function whatHostAllows(
  exchange: {
    readonly client: AuthenticatedClient
    readonly subject: Pick<ExchangeRequest, 'presented'> & { readonly user: ActiveUser }
    readonly rule: ExchangeRule
    readonly scopes: readonly string[]
    readonly resources: readonly string[]
  },
  { tokenExchange: { decide } }: { readonly tokenExchange: TokenExchangeSettings },
): Promise<AllowedExchange> {
  const { client, subject, rule, scopes, resources } = exchange
  if (decide === undefined) return { scopes, resources } as AllowedExchange
  const { presented, user } = subject
  const answer = await decide({
    mode: rule.mode,
    clientId: client.clientId,
    userId: user.userId,
    presented,
    scopes,
    audience: resources,
  })
  // RFC 8693 §2.2.2: the host refuses it. An empty audience would be the default audience.
  if (answer === 'refuse' || answer.audience.length === 0) throw refuse('exchange_refused', { userId: user.userId })
  if (
    !answer.scopes.every((scope) => scopes.includes(scope)) ||
    !answer.audience.every((uri) => resources.includes(uri))
  )
    throw new TypeError('tokenExchange.decide returned a scope value or an audience that was not requested.')
  return { scopes: answer.scopes, resources: answer.audience } as AllowedExchange
}
