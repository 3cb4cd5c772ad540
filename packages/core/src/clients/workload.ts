import { isJsonObject } from '@mintmark/internal'
import type { ClientRecord, EpochSeconds, JsonObject, JsonValue } from '@mintmark/storage-interface'

import { isShortLived } from './client-jwt.ts'

/** The members of a client that authenticates with the JWT of its platform. */
interface WorkloadRegistration {
  readonly tokenEndpointAuthMethod: 'private_key_jwt'
  readonly workload: JsonObject
  readonly jwks?: JsonObject
  readonly jwksUri?: string
}

/** Where a platform publishes its keys. */
type PlatformKeys = { readonly jwksUri: string } | { readonly jwks: JsonObject }

/**
 * Returns the members of a client that is a job of GitHub Actions: of one repository, and there of one environment or
 * one ref, such as `refs/heads/main`. Both identifiers of a repository are in the answer of
 * `https://api.github.com/repos/OWNER/NAME`; its name is not compared, because somebody else can take it after a
 * rename.
 */
export function githubActions(
  job: { readonly repositoryId: number } & ({ readonly environment: string } | { readonly ref: string }),
): WorkloadRegistration {
  const { repositoryId, ...place } = job
  return {
    tokenEndpointAuthMethod: 'private_key_jwt',
    jwksUri: `${githubIssuer}/.well-known/jwks`,
    workload: { issuer: githubIssuer, claims: { repository_id: String(repositoryId), ...place } },
  }
}

/**
 * Returns the members of a client that is a service account of a Kubernetes cluster.
 * @param account `issuer` is the `issuer` of the cluster's `/.well-known/openid-configuration`, and `jwksUri` its
 *   `jwks_uri`. For a cluster that this server cannot reach, pass the keys as `jwks`.
 */
export function kubernetesServiceAccount(
  account: { readonly issuer: string; readonly namespace: string; readonly name: string } & PlatformKeys,
): WorkloadRegistration {
  const { issuer, namespace, name, ...keys } = account
  const claims = { sub: `system:serviceaccount:${namespace}:${name}` }
  return { tokenEndpointAuthMethod: 'private_key_jwt', ...keys, workload: { issuer, claims } }
}

/**
 * Returns the members of a client that is a SPIFFE workload with JWT-SVIDs.
 * @param workload `id` is its SPIFFE ID, such as `spiffe://prod.example.com/deployer`; the keys are the bundle of its
 *   trust domain.
 */
export function spiffeWorkload(workload: { readonly id: string } & PlatformKeys): WorkloadRegistration {
  const { id, ...keys } = workload
  return { tokenEndpointAuthMethod: 'private_key_jwt', ...keys, workload: { claims: { sub: id } } }
}

const githubIssuer = 'https://token.actions.githubusercontent.com'

/** What identifies a workload in the JWTs of its platform. */
interface Workload {
  /** The platform; only JWT-SVIDs may be without one (SPIFFE JWT-SVID §3). */
  readonly issuer: string | undefined
  /** The claims with the values that they must have. */
  readonly claims: Readonly<Record<string, JsonValue>>
}

/** @returns `undefined` unless the value has the form that `workloadProblem` accepts. */
function readWorkload(value: JsonObject): Workload | undefined {
  const { issuer, claims, ...others } = value
  if (Object.keys(others).length > 0 || !isJsonObject(claims)) return undefined
  if (issuer !== undefined && typeof issuer !== 'string') return undefined
  return { issuer, claims }
}

/** Returns what is wrong with the member `workload` of a client; `undefined` when it can be used. */
export function workloadProblem({ workload, tokenEndpointAuthMethod }: ClientRecord): string | undefined {
  if (workload === undefined) return undefined
  if (tokenEndpointAuthMethod !== 'private_key_jwt') return 'workload is only for the method private_key_jwt.'
  const read = readWorkload(workload)
  if (read === undefined) return 'workload must have a string issuer, an object claims, and no other member.'
  const { issuer, claims } = read
  const wrong = Object.entries(claims).find(([name, value]) => timeAndTarget.includes(name) || !isComparable(value))
  if (wrong !== undefined)
    return `workload.claims must have strings, numbers or booleans, and must not name ${timeAndTarget.join(', ')}.`
  if (issuer === undefined && !isSpiffeId(claims['sub'])) return 'workload needs an issuer, unless sub is a SPIFFE ID.'
  // Every repository on GitHub gets JWTs of the same issuer, and names of repositories can be taken over.
  if (issuer?.startsWith(githubIssuer) === true && !('repository_id' in claims))
    return 'workload.claims must have repository_id for GitHub Actions.'
  if (!('sub' in claims) && !('repository_id' in claims)) return 'workload.claims must have sub or repository_id.'
  return undefined
}

/** Claims that the server itself checks. */
const timeAndTarget: readonly string[] = ['iss', 'aud', 'exp', 'iat', 'nbf', 'jti']

const isComparable = (value: JsonValue): boolean => ['string', 'number', 'boolean'].includes(typeof value)

const isSpiffeId = (value: JsonValue | undefined): boolean =>
  typeof value === 'string' && /^spiffe:\/\/[a-z0-9._-]+\/./.test(value)

/** Whether the client authenticates with a JWT of its platform. */
export const isWorkload = (client: ClientRecord): client is ClientRecord & { readonly workload: JsonObject } =>
  client.workload !== undefined

/** A claim of a platform's JWT that is not the registered one. */
export interface WorkloadMismatch {
  readonly claim: string
  readonly presented: JsonValue
  readonly expected: JsonValue
}

/**
 * Compares the claims of a platform's JWT with the registration of a client, character by character. The audience is
 * not compared.
 * @returns the first claim that differs; `undefined` if none does.
 */
export function workloadMismatch(claims: JsonObject, workload: JsonObject): WorkloadMismatch | undefined {
  const { issuer, claims: registered } = readWorkload(workload) ?? { issuer: '', claims: {} }
  const expected = Object.entries({ ...(issuer !== undefined && { iss: issuer }), ...registered })
  const differing = expected.find(([name, value]) => !Object.hasOwn(claims, name) || claims[name] !== value)
  if (differing !== undefined) {
    const [claim, value] = differing
    return { claim, presented: claims[claim] ?? null, expected: value }
  }
  // `ref` of a job for `pull_request_target` is the base branch, but anybody can cause the job.
  const { sub } = claims
  const isPullRequest = typeof sub === 'string' && sub.endsWith(':pull_request') && registered['sub'] === undefined
  return isPullRequest ? { claim: 'sub', presented: sub, expected: 'not of a pull request' } : undefined
}

/**
 * Whether the JWT of a platform is current and expires within about an hour. Platforms hand out the same JWT several
 * times, so its `jti` is not remembered; whoever steals it can use it until then.
 */
export const isCurrentWorkload = (claims: JsonObject, now: EpochSeconds): boolean =>
  isShortLived(claims, now, maxLifetime)

/** In seconds. Kubernetes issues JWTs for at least ten minutes, and by default for an hour and seven seconds. */
const maxLifetime = 3630
