// Writes a software bill of materials (CycloneDX) for each published package to dist/sbom, after a build.
import './require-node.mjs'
import { spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'

const folder = 'dist/sbom'
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
const options = ['--sbom-format', 'cyclonedx', '--prod', '--split', '--filter', './packages/*']
const { status } = spawnSync('pnpm', ['sbom', ...options, '--out', `${folder}/%s.cdx.json`], {
  stdio: ['ignore', 'ignore', 'inherit'],
})
if (status !== 0) process.exit(status ?? 1)

const missing = globSync('packages/*/package.json').flatMap((path) => {
  const { name, private: isPrivate } = JSON.parse(readFileSync(path, 'utf8'))
  const file = `${folder}/${name.replace('@', '').replace('/', '-')}.cdx.json`
  if (isPrivate) rmSync(file, { force: true })
  else if (!existsSync(file)) return [name]
  else addBundledPackages(file, path.replace('package.json', 'dist/THIRD-PARTY-NOTICES.txt'))
  return []
})
if (missing.length > 0) {
  console.error(`No bill of materials was written for ${missing.join(', ')}.`)
  process.exit(1)
}

/** Adds the packages that are bundled into the package's files. pnpm omits them, because they are development dependencies. */
function addBundledPackages(file, notices) {
  if (!existsSync(notices)) return
  const bom = JSON.parse(readFileSync(file, 'utf8'))
  for (const [, name, version] of readFileSync(notices, 'utf8').matchAll(/^(\S+) (\d+\.\d+\.\d+)$/gm)) {
    const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`
    bom.components.push({ type: 'library', 'bom-ref': purl, name, version, purl, scope: 'required' })
    bom.dependencies
      ?.find(({ ref }) => ref === (bom.metadata.component['bom-ref'] ?? bom.metadata.component.purl))
      ?.dependsOn?.push(purl)
  }
  writeFileSync(file, `${JSON.stringify(bom, undefined, 2)}\n`)
}
