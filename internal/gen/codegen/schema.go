package codegen

// BuiltSchema stands for the OpenAPI document that is made of the types, where a flag wants a file.
const BuiltSchema = "crdctl:build"
