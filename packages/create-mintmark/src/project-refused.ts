/** The folder cannot become a project; the message is a sentence for whoever gave the command. */
export class ProjectRefused extends Error {
  override readonly name = 'ProjectRefused'
}
