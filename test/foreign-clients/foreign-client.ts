import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import type { ToleranceProfile } from '@mintmark/scim'

import type { toolchains } from './toolchains.ts'

/** Software in another language, or too large for the test command, that runs against a real server. */
export interface ForeignClient {
  /** Its folder below test/foreign-clients, with a small program and the pinned versions. */
  readonly folder: string
  /** Its common name. */
  readonly name: string
  readonly role: (typeof foreignRoles)[number]
  readonly toolchain: keyof typeof toolchains
  /** Whose versions are shown, as the folder's file of pinned versions spells them. Debian's packages report their own. */
  readonly packages: readonly string[]
  /** The path of the redirect URI, for a program that serves it on its own port. The runner serves it for the others. */
  readonly callback?: string
  /** The path of the address for logout tokens, on the same port. */
  readonly backChannelLogout?: string
  /** The same for a second registration, which authenticates with `private_key_jwt` and names the token endpoint as audience. */
  readonly assertionCallback?: string
  /** Whether it calls the tools of an MCP server, which then runs beside the server. */
  readonly callsTools?: true
  /** Whether it forwards certificates of clients in the headers of nginx. It gets some, and the client `billing` exists. */
  readonly forwardsCertificates?: true
  /** A file that is fetched into the program's output folder as `collection.json`, by an address that does not change. */
  readonly collection?: string
  /** How the SCIM server treats deviations of this client; by default as the product does. */
  readonly toleranceProfile?: ToleranceProfile
  /** What the program checks. It must report each of these and no other. */
  readonly checks: readonly string[]
  /** Checks that fail today, with the reason. One that passes makes the command fail, so that it is removed here. */
  readonly expectedFailures?: Readonly<Record<string, string>>
  /** Required configuration, in words for its users. */
  readonly setUp?: string
}

/** The sections of docs/compatibility.md that list these clients. */
export const foreignRoles = [
  'Clients that sign users in, in other languages',
  'APIs that receive the tokens, in other languages',
  'SCIM clients',
  'Proxies in front of the server',
] as const

const pinFiles = ['go.mod', 'Cargo.toml', 'pom.xml', 'requirements.txt', 'package.json']

/** The pinned version of each package; `undefined` for a package that no file pins, such as Debian's. */
export function pinnedVersion({ folder, packages }: ForeignClient): string | undefined {
  const pins = pinFiles.map((file) => readIfPresent(join(import.meta.dirname, folder, file))).join('\n')
  const versions = packages.map(
    (name) => new RegExp(`(?<![\\w-])${escapeRegExp(name)}[^\\d\\n]+([\\d.]+)`, 'i').exec(pins)?.[1],
  )
  return versions.includes(undefined) ? undefined : versions.join(' + ')
}

function readIfPresent(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    // Each folder has the file of its own toolchain only.
    return ''
  }
}

const escapeRegExp = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
