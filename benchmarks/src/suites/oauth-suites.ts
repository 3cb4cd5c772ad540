import { target, type Change, type Suite, type SuiteTarget } from './suite.ts'

const floor = (name: string, change: Change = {}): SuiteTarget => target(`floor, ${name}`, 'floor/floor.ts', change)
/** A floor that does Mintmark's work: its statements on its tables, its signatures and its digests. */
export const floorOurs = (name: string, change: Change = {}): SuiteTarget =>
  target(`floor, our work, ${name}`, 'floor/floor-our-work.ts', change)
export const oauthMintmark = (name: string, change: Change = {}): SuiteTarget =>
  target(`Mintmark, ${name}`, 'mintmark/mintmark.ts', change)

const sqlite: Change = { storage: 'sqlite' }
const floors = [floor('memory'), floor('SQLite', sqlite), floorOurs('memory'), floorOurs('SQLite', sqlite)]
const mintmarks = [oauthMintmark('memory'), oauthMintmark('SQLite', sqlite)]

const oidcProvider = (name: string, change: Change = {}): SuiteTarget =>
  target(`oidc-provider, ${name}`, 'peers/oidc-provider.ts', change)

const nodeOauth = (name: string, change: Change = {}): SuiteTarget =>
  target(`node-oauth, ${name}`, 'peers/node-oauth.ts', change)
const jmondi = (name: string, change: Change = {}): SuiteTarget => target(`jmondi, ${name}`, 'peers/jmondi.ts', change)

const betterAuth = (name: string, change: Change = {}): SuiteTarget =>
  target(`better-auth, ${name}`, 'peers/better-auth.ts', { storage: 'sqlite', ...change })

const opaque: Change = { accessTokens: 'opaque' }
const rs256: Change = { algorithm: 'RS256' }

const issuing = (peers: readonly SuiteTarget[]): readonly SuiteTarget[] => [...floors, ...mintmarks, ...peers]
const reading = (peers: readonly SuiteTarget[]): readonly SuiteTarget[] => [
  ...floors,
  floor('memory, opaque', opaque),
  ...mintmarks,
  ...peers,
]

const postgres: Change = { storage: 'postgres' }
const onPostgres = [floor, floorOurs, oauthMintmark].map((of) => of('PostgreSQL', postgres))

/**
 * The workloads of an authorization server, each compared with the floors in the same run. Each peer runs in a variant
 * that supports the workload.
 */
export const oauthSuites: readonly Suite[] = [
  {
    name: 'client credentials, ES256',
    workloads: ['client credentials'],
    targets: issuing([
      oidcProvider('Map, JWT'),
      nodeOauth('Map, JWT by a hook'),
      jmondi('Map, JWT by jose'),
      betterAuth('SQLite, JWT'),
    ]),
  },
  {
    name: 'client credentials, RS256',
    workloads: ['client credentials'],
    targets: [
      floor('memory', rs256),
      oauthMintmark('memory', rs256),
      oidcProvider('Map, JWT', rs256),
      jmondi('Map, JWT by jose', rs256),
    ],
  },
  {
    name: 'refresh',
    workloads: ['refresh'],
    targets: issuing([
      oidcProvider('Map, opaque + ID token', opaque),
      nodeOauth('Map, JWT by a hook, no ID token'),
      jmondi('Map, JWT by jose, no ID token'),
      betterAuth('SQLite, opaque + ID token', opaque),
    ]),
  },
  {
    name: 'code + PKCE',
    workloads: ['code + PKCE'],
    targets: issuing([
      oidcProvider('Map, opaque + ID token', opaque),
      nodeOauth('Map, JWT by a hook, no ID token'),
      jmondi('Map, JWT by jose, no ID token'),
      betterAuth('SQLite, opaque + ID token', opaque),
    ]),
  },
  {
    name: 'introspection',
    workloads: ['introspection'],
    targets: reading([
      oidcProvider('Map, opaque', opaque),
      jmondi('Map, JWT by jose'),
      betterAuth('SQLite, opaque', opaque),
    ]),
  },
  ...(['client credentials, DPoP', 'pushed request', 'PAR + code + DPoP'] as const).map((workload) => ({
    name: workload,
    workloads: [workload],
    targets: [floor('memory'), floor('SQLite', sqlite), ...mintmarks, oidcProvider('Map, opaque + ID token', opaque)],
  })),
  { name: 'introspection, repeated', workloads: ['introspection, repeated'], targets: reading([]) },
  {
    name: 'userinfo',
    workloads: ['userinfo'],
    targets: reading([
      oidcProvider('Map, opaque', opaque),
      nodeOauth('Map, opaque', opaque),
      betterAuth('SQLite, opaque', opaque),
    ]),
  },
  { name: 'userinfo, repeated', workloads: ['userinfo, repeated'], targets: reading([]) },
  {
    name: 'discovery',
    workloads: ['discovery'],
    targets: [floor('constant'), oauthMintmark('memory'), oidcProvider('Map'), betterAuth('SQLite')],
  },
  {
    name: 'jwks',
    workloads: ['jwks'],
    targets: [floor('constant'), oauthMintmark('memory'), oidcProvider('Map'), betterAuth('SQLite')],
  },
  ...(
    [
      'client credentials',
      'refresh',
      'code + PKCE',
      'introspection',
      'introspection, repeated',
      'userinfo',
      'userinfo, repeated',
    ] as const
  ).map((workload) => ({ name: `${workload}, PostgreSQL`, workloads: [workload], targets: onPostgres })),
]
