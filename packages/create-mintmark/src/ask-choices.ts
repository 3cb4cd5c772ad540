import { databases, frameworks, userTables, type Given } from './choices.ts'
import type { Io } from './io.ts'

interface Asked {
  readonly given: Given
  /** The default of the last question. */
  readonly users: string
}

/** Asks what was not given. A database that the framework cannot use is not offered. */
export async function askChoices(
  { given, users: first }: Asked,
  { ask, out }: Pick<Io, 'out'> & { readonly ask: Ask },
): Promise<Given> {
  const pick = (question: string, choices: readonly Choice[], name: string | undefined): Promise<string> =>
    name === undefined ? pickOne({ question, choices, ask, out }) : Promise.resolve(name)

  const framework = await pick('Which framework?', frameworks, given.framework)
  const fitting: readonly string[] = frameworks.find(({ name }) => name === framework)?.databases ?? []
  const database = await pick(
    'Which database?',
    databases.filter(({ name }) => fitting.includes(name)),
    given.database,
  )
  const users = await pick(
    'Where are the users?',
    userTables.toSorted((a, b) => Number(b.name === first) - Number(a.name === first)),
    given.users,
  )
  return { framework, database, users }
}

type Ask = NonNullable<Io['ask']>

interface Choice {
  readonly name: string
  readonly title: string
}

interface Question {
  readonly question: string
  readonly choices: readonly Choice[]
  readonly ask: Ask
  readonly out: Io['out']
}

/** Asks until the answer is a number or a name of the list. An empty line is the first. The only choice is not asked. */
async function pickOne({ question, choices, ask, out }: Question): Promise<string> {
  const [only, second] = choices
  if (only !== undefined && second === undefined) return only.name
  out(`\n${question}`)
  for (const [index, { title }] of choices.entries()) out(`  ${index + 1}  ${title}`)
  for (;;) {
    const answer = (await ask(`1 to ${choices.length} (1): `)).trim().toLowerCase()
    const chosen = answer === '' ? only : choices.find(({ name }, index) => [name, String(index + 1)].includes(answer))
    if (chosen !== undefined) return chosen.name
  }
}
