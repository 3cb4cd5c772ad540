import type { TestProject } from 'vitest/node'

import { installOutside, type OutsideProject } from './outside-project.ts'
import { packPackages, type PackedPackage } from '../../scripts/packed-packages.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The published packages; their tarballs are in `folder`. */
    readonly packed: { readonly folder: string; readonly packages: readonly PackedPackage[] }
    /** A project that has installed all of them. */
    readonly outside: Pick<OutsideProject, 'folder' | 'oldestNode' | 'oldestNodeForSources'>
  }
}

/** Packs and installs once for the whole run. */
export function setup(project: TestProject): () => Promise<void> {
  const packed = packPackages()
  const outside = installOutside(packed)
  project.provide('packed', { folder: packed.folder, packages: packed.packages })
  const { folder, oldestNode, oldestNodeForSources } = outside
  project.provide('outside', { folder, oldestNode, oldestNodeForSources })

  return () => outside.remove()
}
