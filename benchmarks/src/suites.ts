import type { WorkloadName } from './driver/workloads.ts'
import type { TargetSettings } from './site.ts'

/** A server in a suite. */
export interface SuiteTarget {
  readonly name: string
  /** Below `targets/`. */
  readonly program: string
  readonly settings: TargetSettings
}

/** One table of the report: a workload, and who is measured under it. */
export interface Suite {
  readonly name: string
  readonly workload: WorkloadName
  readonly targets: readonly SuiteTarget[]
}

type Change = Partial<TargetSettings>

const target = (name: string, program: string, change: Change = {}): SuiteTarget => ({
  name,
  program,
  settings: { storage: 'memory', algorithm: 'ES256', accessTokens: 'jwt', ...change },
})

const floor = (name: string, change: Change = {}): SuiteTarget => target(`floor, ${name}`, 'floor/floor.ts', change)
const mintmark = (name: string, change: Change = {}): SuiteTarget => target(`Mintmark, ${name}`, 'mintmark/mintmark.ts', change)

const floors = (change: Change = {}): readonly SuiteTarget[] => [floor('memory', change), floor('SQLite', { ...change, storage: 'sqlite' })]
const mintmarks = (change: Change = {}): readonly SuiteTarget[] => [mintmark('memory', change), mintmark('SQLite', { ...change, storage: 'sqlite' })]

const oidcProvider = (name: string, change: Change = {}): SuiteTarget => target(`oidc-provider, ${name}`, 'peers/oidc-provider.ts', change)

const nodeOauth = (name: string, change: Change = {}): SuiteTarget => target(`node-oauth, ${name}`, 'peers/node-oauth.ts', change)
const jmondi = (name: string, change: Change = {}): SuiteTarget => target(`jmondi, ${name}`, 'peers/jmondi.ts', change)

const betterAuth = (name: string, change: Change = {}): SuiteTarget =>
  target(`better-auth, ${name}`, 'peers/better-auth.ts', { storage: 'sqlite', ...change })

const opaque: Change = { accessTokens: 'opaque' }
const rs256: Change = { algorithm: 'RS256' }

const issuing = (peers: readonly SuiteTarget[]): readonly SuiteTarget[] => [...floors(), ...mintmarks(), ...peers]
const reading = (peers: readonly SuiteTarget[]): readonly SuiteTarget[] => [...floors(), floor('memory, opaque', opaque), ...mintmarks(), ...peers]

/** Every suite, each against the floors of its own run. Peers come in the form in which they can do it. */
export const suites: readonly Suite[] = [
  {
    name: 'client credentials, ES256',
    workload: 'client credentials',
    targets: issuing([oidcProvider('Map, JWT'), nodeOauth('Map, JWT by a hook'), jmondi('Map, JWT by jose'), betterAuth('SQLite, JWT')]),
  },
  {
    name: 'client credentials, RS256',
    workload: 'client credentials',
    targets: [floor('memory', rs256), mintmark('memory', rs256), oidcProvider('Map, JWT', rs256), jmondi('Map, JWT by jose', rs256)],
  },
  {
    name: 'refresh',
    workload: 'refresh',
    targets: issuing([
      oidcProvider('Map, opaque + ID token', opaque),
      nodeOauth('Map, JWT by a hook, no ID token'),
      jmondi('Map, JWT by jose, no ID token'),
      betterAuth('SQLite, opaque + ID token', opaque),
    ]),
  },
  {
    name: 'code + PKCE',
    workload: 'code + PKCE',
    targets: issuing([
      oidcProvider('Map, opaque + ID token', opaque),
      nodeOauth('Map, JWT by a hook, no ID token'),
      jmondi('Map, JWT by jose, no ID token'),
      betterAuth('SQLite, opaque + ID token', opaque),
    ]),
  },
  {
    name: 'introspection',
    workload: 'introspection',
    targets: reading([oidcProvider('Map, opaque', opaque), jmondi('Map, JWT by jose'), betterAuth('SQLite, opaque', opaque)]),
  },
  { name: 'introspection, repeated', workload: 'introspection, repeated', targets: reading([]) },
  { name: 'userinfo', workload: 'userinfo', targets: reading([oidcProvider('Map, opaque', opaque), nodeOauth('Map, opaque', opaque), betterAuth('SQLite, opaque', opaque)]) },
  { name: 'userinfo, repeated', workload: 'userinfo, repeated', targets: reading([]) },
  { name: 'discovery', workload: 'discovery', targets: [floor('constant'), mintmark('memory'), oidcProvider('Map'), betterAuth('SQLite')] },
  { name: 'jwks', workload: 'jwks', targets: [floor('constant'), mintmark('memory'), oidcProvider('Map'), betterAuth('SQLite')] },
]
