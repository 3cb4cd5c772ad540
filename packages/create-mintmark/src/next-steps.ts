/**
 * What to do with a new project.
 * @param folder from where the command was given; empty for that folder itself.
 * @param userAgent of the package manager that started the command, such as `pnpm/12.0.0 npm/? node/v24.0.0`.
 */
export function nextSteps(folder: string, userAgent: string | undefined): string {
  const manager = managers.find((name) => userAgent?.startsWith(`${name}/`)) ?? 'npm'
  const steps = [
    ...(folder === '' ? [] : [`cd ${/\s/.test(folder) ? `"${folder}"` : folder}`]),
    `${manager} install`,
    `${manager} run setup`,
    `${manager} start`,
  ]
  const lines = steps.map((step) => `  ${step}\n`)
  return `A server is in ${folder === '' ? 'this folder' : folder}. Next:\n\n${lines.join('')}`
}

const managers = ['npm', 'pnpm', 'yarn', 'bun']
