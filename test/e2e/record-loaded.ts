/** Script for `node -r`: `loaded` has the name and size of each file that was loaded so far. */
export const recordLoaded = `
const modules = require('node:module')
const loaded = {}
const compile = modules.prototype._compile
modules.prototype._compile = function (content, file) {
  loaded[require('node:path').basename(file)] = content.length
  return compile.call(this, content, file)
}`
