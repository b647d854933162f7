metadata = {
  name                     = "gaussdp"
  sql_name                 = "gaussdp"
  image_name               = "gaussdp"
  licenses                 = ["PostgreSQL"]
  shared_preload_libraries = ["gaussdp"]
  extension_control_path   = []
  dynamic_library_path     = []
  ld_library_path          = []
  bin_path                 = []
  env                      = {}
  auto_update_os_libs      = false
  required_extensions      = []
  create_extension         = true

  versions = {
    trixie = {
      "18" = {
        package = "1.0.0-1"
        sql     = "1.0"
      }
    }
  }
}
