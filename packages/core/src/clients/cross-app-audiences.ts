import { isJsonObject } from '@mintmark/internal'
import {
  clientId,
  type ClientId,
  type ClientRecord,
  type JsonObject,
  type JsonValue,
} from '@mintmark/storage-interface'

/** An authorization server for which a client gets ID-JAGs. */
export interface CrossAppAudience {
  /** Its issuer. */
  readonly issuer: string
  /** The identifier of the client there. */
  readonly clientId: string
  /** The scope values there that the client may get. */
  readonly scopes: readonly string[]
  /** The APIs there that the client may get; empty if ID-JAGs name none. */
  readonly resources: readonly string[]
  /** The client of this server as which the other server signs users in: it knows users by the `sub` of this client. */
  readonly subjectClient: ClientId | undefined
}

/** Returns the authorization servers for which the client gets ID-JAGs. */
export function crossAppAudiencesOf({ crossAppAudiences }: ClientRecord): readonly CrossAppAudience[] {
  return Object.entries(crossAppAudiences ?? {}).flatMap(([issuer, rule]) => readRule(issuer, rule) ?? [])
}

/** Returns what is wrong with the member `crossAppAudiences` of a client; `undefined` when it can be used. */
export function crossAppAudiencesProblem(client: ClientRecord): string | undefined {
  const { crossAppAudiences = {}, tokenEndpointAuthMethod, subjectType } = client
  const rules = Object.entries(crossAppAudiences)
  if (rules.length === 0) return undefined
  if (tokenEndpointAuthMethod === 'none') return 'cross_app_audiences is only for clients that authenticate.'
  if (rules.length > 100) return 'cross_app_audiences must have at most 100 members.'
  for (const [issuer, value] of rules) {
    const rule = readRule(issuer, value)
    if (rule === undefined)
      return 'cross_app_audiences must name issuers, each with client_id, scopes, and if needed resources and subject_client.'
    // OIDC Core §8.1: the client can read its ID-JAGs, and must not learn the identifier that other clients see.
    if (subjectType === 'pairwise' && rule.subjectClient === undefined)
      return 'cross_app_audiences needs subject_client for a client with pairwise subjects.'
  }
  return undefined
}

function readRule(issuer: string, value: JsonValue): CrossAppAudience | undefined {
  if (!isJsonObject(value) || !isText(issuer) || !URL.canParse(issuer)) return undefined
  const { client_id: id, scopes, resources = [], subject_client: subjectClient, ...others }: JsonObject = value
  if (Object.keys(others).length > 0 || !isText(id) || !isTextList(scopes) || !isTextList(resources)) return undefined
  if (subjectClient !== undefined && !isText(subjectClient)) return undefined
  const client = subjectClient === undefined ? undefined : clientId(subjectClient)
  return { issuer, clientId: id, scopes, resources, subjectClient: client }
}

const isText = (value: JsonValue | undefined): value is string =>
  typeof value === 'string' && /^[\x21-\x7e]{1,1024}$/.test(value)

const isTextList = (value: JsonValue | undefined): value is readonly string[] =>
  Array.isArray(value) && value.length <= 200 && value.every(isText)
