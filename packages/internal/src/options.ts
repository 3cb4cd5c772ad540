/** Returns what a value must be, such as `must be a function`; `undefined` when it is. */
export type OptionCheck = (value: unknown) => string | undefined

/** A check for every option: the compiler finds one that is missing or misspelled. */
export type OptionChecks<Options> = { readonly [Name in keyof Options]-?: OptionCheck }

/**
 * Refuses options with an unknown name or an impossible value. TypeScript finds them only in object literals. A misspelled
 * name would leave a default in force without a warning. A value of `undefined` is as if the option were left out.
 * @param of the function that takes the options, for the message.
 * @throws TypeError that names the option.
 */
export function checkOptions<Options extends object>(
  of: string,
  options: Options,
  checks: OptionChecks<Options>,
): void {
  const fault = findFault(options, checks)
  if (fault === undefined) return
  const { name, problem, known } = fault
  throw new TypeError(
    problem === undefined ? `${of}: ${name} is not an option. Its options are ${known}.` : `${of}: ${name} ${problem}.`,
  )
}

/** The first option with an unknown name, or with a problem. */
function findFault<Options extends object>(
  options: object,
  checks: OptionChecks<Options>,
): { readonly name: string; readonly problem: string | undefined; readonly known: string } | undefined {
  const checksByName = new Map<string, OptionCheck>(Object.entries(checks))
  const known = [...checksByName.keys()].join(', ')
  for (const [name, value] of Object.entries(options)) {
    const check = checksByName.get(name)
    if (check === undefined) return { name, problem: undefined, known }
    const problem = value === undefined ? undefined : check(value)
    if (problem !== undefined) return { name, problem, known }
  }
  return undefined
}

const expecting =
  (isExpected: (value: unknown) => boolean, problem: string): OptionCheck =>
  (value) =>
    isExpected(value) ? undefined : problem

/** For values that another check covers, or that can be anything. */
export const anything: OptionCheck = () => undefined

export const aFunction = expecting((value) => typeof value === 'function', 'must be a function')
export const anObject = expecting((value) => typeof value === 'object' && value !== null, 'must be an object')
export const aText = expecting((value) => typeof value === 'string' && value !== '', 'must be a text')
export const aListOfTexts = expecting(
  (value) => Array.isArray(value) && value.every((each) => typeof each === 'string'),
  'must be a list of texts',
)
export const aFlag = expecting((value) => typeof value === 'boolean', 'must be true or false')

export const oneOf = (...values: readonly string[]): OptionCheck =>
  expecting((value) => typeof value === 'string' && values.includes(value), `must be ${values.join(' or ')}`)

export const wholeNumber = (least: number, most = Number.MAX_SAFE_INTEGER): OptionCheck =>
  expecting(
    (value) => Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most,
    most === Number.MAX_SAFE_INTEGER
      ? `must be a whole number, ${least} or more`
      : `must be a whole number from ${least} to ${most}`,
  )

export const listOf =
  (check: OptionCheck): OptionCheck =>
  (value) =>
    Array.isArray(value) ? value.map(check).find((problem) => problem !== undefined) : 'must be a list'

/** An object with options of its own. */
export const optionsOf =
  <Options extends object>(checks: OptionChecks<Options>): OptionCheck =>
  (value) => {
    if (typeof value !== 'object' || value === null) return 'must be an object'
    const fault = findFault(value, checks)
    if (fault === undefined) return undefined
    const { name, problem, known } = fault
    return problem === undefined ? `has no member ${name}; it has ${known}` : `.${name} ${problem}`
  }
