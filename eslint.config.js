// @ts-check
import js from "@eslint/js";
import { defineConfig, globalIgnores } from "eslint/config";
import typescript from "typescript-eslint";

export default defineConfig(
  globalIgnores([".data/", ".venv/", "static/vendor/"]),
  js.configs.recommended,
  typescript.configs.recommendedTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true } },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      // TypeScript's checker knows what there is.
      "no-undef": "off",
      complexity: ["error", 20],
      curly: ["error", "multi-line"],
      "default-case-last": "error",
      eqeqeq: "error",
      "max-params": ["error", 6],
      "no-console": ["error", { allow: ["error"] }],
      "no-implicit-coercion": "error",
      "no-lonely-if": "error",
      "no-param-reassign": "error",
      "no-self-compare": "error",
      "no-template-curly-in-string": "error",
      "no-unreachable-loop": "error",
      "no-useless-rename": "error",
      "no-var": "error",
      "object-shorthand": "error",
      "prefer-const": "error",
      "prefer-template": "error",
      // Markup is never made out of text (the site's policy forbids inline scripts as well).
      "no-restricted-properties": [
        "error",
        { property: "innerHTML", message: "Make elements with match/dom.js." },
        { property: "outerHTML", message: "Make elements with match/dom.js." },
        { property: "insertAdjacentHTML", message: "Make elements with match/dom.js." },
        { object: "document", property: "write", message: "Make elements with match/dom.js." },
      ],
      // It does not see the types that comments give to what comes out of JSON.
      "@typescript-eslint/no-unsafe-assignment": "off",
      "@typescript-eslint/no-shadow": ["error", { allow: ["_"] }],
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_" }],
    },
  },
  {
    // Stand-ins for what a browser has, what runs in one before a page does, and the server that the
    // site is measured beside: without types.
    files: ["benchmarks/**/*.js", "tests/**/*.js"],
    extends: [typescript.configs.disableTypeChecked],
  },
);
