// Measures what each statement costs in a large issuer on PostgreSQL, compared with an issuer of a tenth of its size: `pnpm bench size
// [--size tenth|hundredth|USERS] [--postgres /usr/lib/postgresql/15/bin]`. Fails if a cost grows by more than 1.3.
import { parseArgs } from 'node:util'

import { interruption } from '../../benchmarks/src/interruption.ts'
import { environment } from '../../benchmarks/src/report.ts'
import { runCommand } from '../../scripts/command-words.ts'
import { growthTable } from './growth.ts'
import { usersOf } from './issuer-size.ts'
import { measureGrowth } from './measure-growth.ts'

const { users, programFolder } = await runCommand(
  'Write pnpm bench size [--size tenth|hundredth|USERS] [--postgres FOLDER].',
  (args) => {
    const { values } = parseArgs({
      args,
      options: { size: { type: 'string', default: 'hundredth' }, postgres: { type: 'string' } },
    })
    return { users: usersOf(values.size), programFolder: values.postgres }
  },
)

const interrupted = interruption()
console.log(environment())
const growth = await measureGrowth({
  users,
  programFolder,
  interrupted,
  progress: (line) => console.log(line),
})
console.log(growthTable(growth))
const tooMuch = growth.filter(({ isTooMuch }) => isTooMuch)
for (const { workload, statement, ratio } of tooMuch)
  console.log(`${workload}: ${ratio.toFixed(2)} times as many pages: ${statement.replaceAll(/\s+/g, ' ')}`)
if (interrupted.aborted) process.exitCode = 130
else if (tooMuch.length > 0) process.exitCode = 1
