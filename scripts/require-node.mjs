// If an automatic install fails, pnpm warns and still runs the script, under whatever Node started pnpm.
// Sources run without a build step, which needs type stripping: Node 22.18 or newer.
const [major, minor] = process.versions.node.split('.').map(Number)

if (major < 22 || (major === 22 && minor < 18)) {
  console.error(`Mintmark's scripts need Node 22.18 or newer, this is ${process.versions.node}.`)
  console.error('On Linux the install brings Node 24 along: look above for why the install failed, then run')
  console.error('  npx -y pnpm@12.21.0 install')
  console.error('On other systems install Node 24 first.')
  process.exit(1)
}
