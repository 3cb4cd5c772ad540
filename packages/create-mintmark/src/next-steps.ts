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
  return `A server is in ${folder === '' ? 'this folder' : folder}. Next:\n\n${steps.map((step) => `  ${step}`).join('\n')}\n`
}

const managers = ['npm', 'pnpm', 'yarn', 'bun']
