// Before each script, pnpm installs the dependencies if they are outdated. If this fails, pnpm warns and still runs the
// script, with the Node that started pnpm. The scripts need Node 22.18 or later, because they import TypeScript sources
// without a build.
const [major, minor] = process.versions.node.split('.').map(Number)

if (major < 22 || (major === 22 && minor < 18)) {
  console.error(`Mintmark's scripts need Node 22.18 or later. This is Node ${process.versions.node}.`)
  console.error(
    'On Linux, pnpm installs Node 24 with the dependencies. The output above says why this failed. Correct it and run',
  )
  console.error('  npx -y pnpm@12.21.0 install')
  console.error('On other systems install Node 24 first.')
  process.exit(1)
}
