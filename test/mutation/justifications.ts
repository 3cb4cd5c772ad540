/** Guards that no test can miss, by file and line of code, each with the reason. */
export const justifications: Readonly<Record<string, Readonly<Record<string, string>>>> = {}
