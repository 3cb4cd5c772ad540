import type { TestProject } from 'vitest/node'

import { installOutside } from '../../scripts/outside-project.ts'
import { packPackages, type PackedPackage } from '../../scripts/packed-packages.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** What would be published; the tarballs are in `folder`. */
    readonly packed: { readonly folder: string; readonly packages: readonly PackedPackage[] }
    /** A project that has installed all of it. */
    readonly outside: { readonly folder: string; readonly oldestNode: string }
  }
}

/** Packs and installs once for the whole run. */
export function setup(project: TestProject): () => void {
  const packed = packPackages()
  const outside = installOutside(packed)
  project.provide('packed', { folder: packed.folder, packages: packed.packages })
  project.provide('outside', { folder: outside.folder, oldestNode: outside.oldestNode })

  return () => {
    outside.remove()
    packed.remove()
  }
}
