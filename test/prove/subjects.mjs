/** What the scenarios must know of an agent. Everything else is Ion's business. */
const facts = {
  // Edits files by its answers; there is nothing to call, and its history has no exact counts.
  aider: { tools: false, tokens: false },
  // The turns of the current build are made by the vendor's service.
  'amp-current': { agent: 'amp', service: false },
}

/**
 * @param {string} name  of the pin
 * @param {import('./install.mjs').Installed} installed
 * @param {string | undefined} agentapi
 * @returns {import('./scene.mjs').Subject}
 */
export function subjectOf(name, { program, version }, agentapi) {
  return {
    name,
    agent: name,
    version,
    program,
    ...(agentapi ? { agentapi } : {}),
    .../** @type {Record<string, object>} */ (facts)[name],
  }
}
