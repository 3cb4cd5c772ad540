/** The part of a package.json that a layer of the template adds to. */
export interface Manifest {
  readonly imports?: Values
  readonly scripts?: Values
  readonly dependencies?: Values
  readonly devDependencies?: Values
}

type Values = Readonly<Record<string, string>>

/** Merges the manifests of layers. Scripts and imports keep their order; dependencies are sorted, as npm sorts them. */
export function mergeManifests(parts: readonly Manifest[]): Manifest {
  const merged = (member: keyof Manifest): Values =>
    Object.fromEntries(parts.flatMap((part) => Object.entries(part[member] ?? {})))
  return {
    ...parts.reduce((before, part) => ({ ...before, ...part }), {}),
    imports: merged('imports'),
    scripts: merged('scripts'),
    dependencies: sorted(merged('dependencies')),
    devDependencies: sorted(merged('devDependencies')),
  }
}

const sorted = (values: Values): Values =>
  Object.fromEntries(Object.entries(values).toSorted(([a], [b]) => (a < b ? -1 : 1)))

/**
 * Replaces each version `*` by the version in the manifest of this package.
 * @throws Error if that has no such version.
 */
export function withVersions(manifest: Manifest, { devDependencies: known = {} }: Manifest): Manifest {
  const fill = (ranges: Values = {}): Values =>
    Object.fromEntries(
      Object.entries(ranges).map(([name, range]) => [name, range === '*' ? rangeOf(name, known) : range]),
    )
  return { ...manifest, dependencies: fill(manifest.dependencies), devDependencies: fill(manifest.devDependencies) }
}

/**
 * Returns a range within the major version, because a project should get updates of dependencies that are pinned here.
 */
function rangeOf(name: string, known: Values): string {
  const version = known[name]
  if (version === undefined) throw new Error(`The manifest of this package has no version of ${name}.`)
  return /^\d/.test(version) ? `^${version}` : version
}
