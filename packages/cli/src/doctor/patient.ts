import type { AdminStorage } from '@mintmark/storage-interface'

import type { Io } from '../io.ts'
import type { Settings } from '../place/settings.ts'
import type { Probe } from './probe.ts'

/** What a doctor examines: a server by its address, and its storage where the operator has said which it is. */
export interface DoctorTarget {
  readonly issuer: string
  readonly probe: Probe
  readonly io: Io
  readonly settings: Settings
  /** Undefined when no database is named, or when it cannot be used. */
  readonly storage: AdminStorage | undefined
  /** The metadata as the server publishes it; empty when it publishes none. */
  readonly metadata: Readonly<Record<string, unknown>>
  readonly options: DoctorOptions
}

/** What else the operator has said. */
export interface DoctorOptions {
  readonly client?: string
  readonly redirectUri?: string
  /** A file that holds a Secret Token of an identity provider. */
  readonly scimSecretFile?: string
}

/** An endpoint's address as the metadata names it, or where this library puts it. */
export function endpointOf(
  { issuer, metadata }: Pick<DoctorTarget, 'issuer' | 'metadata'>,
  name: string,
  path: string,
): string {
  const published = metadata[name]
  return typeof published === 'string' && URL.canParse(published) ? published : issuer + path
}
