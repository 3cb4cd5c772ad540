import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'

import { frameworks, type Framework } from './choices.ts'
import { ProjectError } from './project-error.ts'

/** A project to which Mintmark is added. */
export interface ExistingProject {
  /** Its frameworks that Mintmark can be added to. */
  readonly frameworks: readonly [AddableFramework, ...AddableFramework[]]
  /** The folder below which its sources are: `src` if the folder has Next.js's `app` or `pages`, otherwise empty. */
  readonly sources: '' | 'src'
  /** The names of the packages that its package.json lists. */
  readonly dependencies: ReadonlySet<string>
}

type AddableFramework = Framework & { readonly added: NonNullable<Framework['added']> }

/**
 * Recognizes a project by the dependencies in its package.json.
 * @returns `undefined` if the folder has no package.json, or if its dependencies contain Mintmark, or no framework that
 *   Mintmark can be added to.
 * @throws ProjectError if package.json is not JSON.
 */
export async function findExistingProject(folder: string): Promise<ExistingProject | undefined> {
  const dependencies = await dependenciesIn(join(folder, 'package.json'))
  const [first, ...others] = frameworks.filter(isAddable).filter(({ added }) => dependencies.has(added.dependency))
  // A project that has Mintmark, such as one that this command made, does not get it twice.
  if (first === undefined || dependencies.has('@mintmark/core')) return undefined
  const inSources = await Promise.all(['src/app', 'src/pages'].map((path) => isThere(join(folder, path))))
  const isNext = [first, ...others].some(({ name }) => name === 'nextjs')
  return { frameworks: [first, ...others], sources: isNext && inSources.includes(true) ? 'src' : '', dependencies }
}

const isAddable = (framework: Framework): framework is AddableFramework => framework.added !== undefined

async function dependenciesIn(path: string): Promise<ReadonlySet<string>> {
  if (!(await isThere(path))) return new Set()
  const manifest = parse(await readFile(path, 'utf8'), path)
  const { dependencies, devDependencies } = Object(manifest) as Readonly<Record<string, object | undefined>>
  return new Set([dependencies, devDependencies].flatMap((list) => Object.keys(list ?? {})))
}

function parse(text: string, path: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new ProjectError(`${path} is not JSON. Nothing was changed.`, { cause: error })
  }
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )
