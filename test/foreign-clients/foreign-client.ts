import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import type { ToleranceProfile } from '@mintmark/scim'

import type { toolchains } from './toolchains.ts'

/** Software that runs against a real server. It is written in another language, or too large for the test command. */
export interface ForeignClient {
  /** Its folder in test/foreign-clients, which contains a small program and the pinned versions. */
  readonly folder: string
  /** Its common name. */
  readonly name: string
  readonly role: (typeof foreignRoles)[number]
  readonly toolchain: keyof typeof toolchains
  /**
   * The packages whose versions are shown, named as in the folder's file of pinned versions. Debian's packages report
   * their versions themselves.
   */
  readonly packages: readonly string[]
  /** The path of the redirect URI, for a program that serves it on its own port. The runner serves it for other programs. */
  readonly callback?: string
  /** The path that receives logout tokens, on the same port. */
  readonly backChannelLogout?: string
  /**
   * The path of the redirect URI of a second registration, which authenticates with `private_key_jwt` and uses the
   * token endpoint as audience.
   */
  readonly assertionCallback?: string
  /** Whether it exchanges the tokens of its users for tokens for an API (RFC 8693). */
  readonly exchangesTokens?: true
  /** Whether it calls the tools of an MCP server, which then runs next to the authorization server. */
  readonly callsTools?: true
  /** Whether it asks for the scope `groups`, whose claim only the ID token contains. */
  readonly readsGroups?: true
  /** Whether it signs users in on another device (RFC 8628). The runner then registers the client `television`. */
  readonly usesDevice?: true
  /**
   * Whether it forwards client certificates in the headers of nginx. The runner then creates certificates for it and
   * registers the client `billing`.
   */
  readonly forwardsCertificates?: true
  /** The URL of a file that is downloaded as `collection.json` into the program's output folder. It must never change. */
  readonly collection?: string
  /** The tolerance profile of its SCIM connection; `general` by default. */
  readonly toleranceProfile?: ToleranceProfile
  /** The titles of the checks. The program must report each of them and no others. */
  readonly checks: readonly string[]
  /** Checks that fail today, with the reason. The command fails when such a check passes, so that it is removed here. */
  readonly expectedFailures?: Readonly<Record<string, string>>
  /** The configuration that the client needs, as a text for its users. */
  readonly setUp?: string
}

/** The sections of docs/compatibility.md that list these clients. */
export const foreignRoles = [
  'Clients that sign users in, in other languages',
  'APIs that receive the tokens, in other languages',
  'SCIM clients',
  'SCIM services that are provisioned',
  'Proxies in front of the server',
] as const

const pinFiles = ['go.mod', 'Cargo.toml', 'pom.xml', 'requirements.txt', 'package.json']

/** Returns the pinned version of each package; `undefined` if no file pins one of them, as for Debian's packages. */
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
    // Each folder contains only the file of its own toolchain.
    return ''
  }
}

const escapeRegExp = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
