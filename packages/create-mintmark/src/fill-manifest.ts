interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

/**
 * The package.json of a new project: each version that the template leaves open is the one that this package was made
 * with.
 * @throws Error when this package does not say which that is.
 */
export function fillManifest(text: string, given: { readonly name: string; readonly ownManifest: string }): string {
  const template = JSON.parse(text) as Manifest
  const { devDependencies: known = {} } = JSON.parse(given.ownManifest) as Manifest
  const rangeIn = (name: string, range: string): string => (range === '*' ? rangeOf(name, known) : range)
  const filled = (ranges: Manifest['dependencies'] = {}): Readonly<Record<string, string>> =>
    Object.fromEntries(Object.entries(ranges).map(([name, range]) => [name, rangeIn(name, range)]))

  const manifest = {
    ...template,
    name: given.name,
    dependencies: filled(template.dependencies),
    devDependencies: filled(template.devDependencies),
  }
  return `${JSON.stringify(manifest, undefined, 2)}\n`
}

/** A project has updates within the major version, also of what this repository holds at one version. */
function rangeOf(name: string, known: Readonly<Record<string, string>>): string {
  const version = known[name]
  if (version === undefined) throw new Error(`This package does not say which version of ${name} goes into a project.`)
  return /^\d/.test(version) ? `^${version}` : version
}
