import { randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

import { fillManifest } from './fill-manifest.ts'

/** A file of a new project. */
export interface ProjectFile {
  /** From the project's folder on, with the separator of this machine. */
  readonly path: string
  readonly text: string
  /** `private`: only its owner may read it. */
  readonly access: 'ordinary' | 'private'
}

/** The files of a project whose package has this name, with a sealing key of its own. */
export async function readTemplate(name: string): Promise<readonly ProjectFile[]> {
  const ownManifest = await readFile(new URL('package.json', home), 'utf8')
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const files = paths.map(async (path): Promise<ProjectFile> => {
    const text = await readFile(path, 'utf8')
    const place = relative(folder, path)
    switch (place) {
      case 'package.json':
        return { path: place, text: fillManifest(text, { name, ownManifest }), access: 'ordinary' }
      case 'README.md':
        return { path: place, text: text.replace('my-server', name), access: 'ordinary' }
      case 'gitignore':
        // npm leaves files that are called `.gitignore` out of packages.
        return { path: '.gitignore', text, access: 'ordinary' }
      default:
        return { path: place, text, access: 'ordinary' }
    }
  })
  return [...(await Promise.all(files)), { path: '.env', text: environment(), access: 'private' }]
}

/** 32 random bytes: what `storedKeys` seals signing keys with. */
const environment = (): string => `\
# Not for version control. Keep a copy: without it nobody can open the signing keys in the database.
MINTMARK_SEALING_KEY=${randomBytes(32).toString('base64url')}
`

/** The package's own folder, from its sources and from what was built of them. */
const home = new URL('../', import.meta.url)
const folder = fileURLToPath(new URL('template', home))
