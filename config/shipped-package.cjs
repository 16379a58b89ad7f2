/**
 * Prints the package.json of a gateway that is shipped with its bundle: the packages that the bundle does not contain,
 * and nothing for development.
 */
const { NOT_BUNDLED } = require('./bundle.cjs');
const { name, version, description, license, type, dependencies } = require('../package.json');

const needed = Object.fromEntries(NOT_BUNDLED.map((each) => [each, dependencies[each]]));

process.stdout.write(
  `${JSON.stringify({ name, version, description, license, private: true, type, dependencies: needed }, null, 2)}\n`,
);
